import { useState } from 'react';
import type { AuditEntry } from '#contract/audit.ts';
import { bodyOf, client } from '../../api.ts';
import { useLedger } from '../../app/queries.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { LedgerMore } from '../../components/ledger-more.tsx';
import { Payload } from '../../components/payload.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import * as strings from '../../strings.ts';
import { Filters, useFilters } from './filters.tsx';

const text = strings.events;

const Entry = ({ entry, onClose }: { readonly entry: AuditEntry; readonly onClose: () => void }) => (
  <Dialog title={entry.action} isWide onClose={onClose}>
    <dl className="facts">
      <dt>{text.columns.at}</dt>
      <dd>
        <Time at={entry.at} />
      </dd>
      <dt>{text.columns.actor}</dt>
      <dd>{entry.actor_name ?? entry.actor_id ?? text.service}</dd>
      <dt>{text.columns.subject}</dt>
      <dd>{entry.subjects.join(', ')}</dd>
      <dt>{text.request}</dt>
      <dd>{entry.request_id ?? strings.fields.none}</dd>
      <dt>{text.address}</dt>
      <dd>{entry.address ?? strings.fields.none}</dd>
    </dl>
    <Payload data={entry.input ?? null} />
    <DialogActions>
      <Button kind="primary" onClick={onClose}>
        {strings.actions.close}
      </Button>
    </DialogActions>
  </Dialog>
);

export const AuditTab = () => {
  const [open, setOpen] = useState<AuditEntry>();
  const filters = useFilters();
  const entries = useLedger(
    ['audit', filters],
    (after, signal) => bodyOf(client.audit.list({ query: { ...filters, ...(after && { after }) }, signal })),
    { poll: true },
  );
  const columns: readonly Column<AuditEntry>[] = [
    {
      id: 'action',
      label: text.columns.action,
      cell: (entry) => (
        <Button kind="link" onClick={() => setOpen(entry)}>
          {entry.action}
        </Button>
      ),
    },
    { id: 'subject', label: text.columns.subject, kind: 'main', cell: ({ subjects }) => subjects.join(', ') },
    {
      id: 'actor',
      label: text.columns.actor,
      kind: 'minor',
      cell: ({ actor_id, actor_name }) => actor_name ?? actor_id ?? <span className="soft">{text.service}</span>,
    },
    { id: 'at', label: text.columns.at, cell: ({ at }) => <Time at={at} isAge /> },
  ];
  return (
    <section>
      <div className="filter-bar">
        <Filters />
      </div>
      <Loaded query={entries}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState title={text.noEntries} />
          ) : (
            <Table
              label={text.tabs.audit}
              columns={columns}
              rows={rows}
              idOf={({ id }) => id}
              nameOf={({ action }) => action}
              onOpen={setOpen}
            />
          )
        }
      </Loaded>
      <LedgerMore ledger={entries} />
      {open && <Entry entry={open} onClose={() => setOpen(undefined)} />}
    </section>
  );
};
