import { useState } from 'react';
import type { AuditEntry } from '#contract/audit.ts';
import { bodyOf, client } from '../../api.ts';
import { useCursorPages } from '../../app/queries.ts';
import { Button } from '../../components/button.tsx';
import { CursorList } from '../../components/cursor-list.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { Payload } from '../../components/payload.tsx';
import { ActorLink, SubjectLinks } from '../../components/record-link.tsx';
import { EmptyState } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { words } from '../../format.ts';
import * as strings from '../../strings.ts';
import { Filters, useFilters } from './filters.tsx';
import { text } from './strings.ts';

/** What was done, in words: `categories.create` is `Create category`. */
const titleOf = ({ action }: AuditEntry): string => {
  const [domain = '', verb = ''] = action.split('.');
  return (
    text.actions[action] ?? `${words(verb)} ${text.domains[domain] ?? words(domain).toLowerCase().replace(/s$/, '')}`
  );
};

const Entry = ({ entry, onClose }: { readonly entry: AuditEntry; readonly onClose: () => void }) => (
  <Dialog title={titleOf(entry)} isWide onClose={onClose}>
    <dl className="facts">
      <dt>{text.columns.at}</dt>
      <dd>
        <Time at={entry.at} />
      </dd>
      <dt>{text.columns.actor}</dt>
      <dd>
        <ActorLink id={entry.actor_id} name={entry.actor_name} />
      </dd>
      <dt>{text.columns.subject}</dt>
      <dd>
        <SubjectLinks subjects={entry.subjects} />
      </dd>
      <dt>{text.route}</dt>
      <dd>
        <code>{entry.action}</code>
      </dd>
      <dt>{text.request}</dt>
      <dd>{entry.request_id ?? strings.fields.none}</dd>
      <dt>{text.ipAddress}</dt>
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
  const entries = useCursorPages(
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
          {titleOf(entry)}
        </Button>
      ),
    },
    {
      id: 'subject',
      label: text.columns.subject,
      kind: 'main',
      cell: ({ subjects }) => <SubjectLinks subjects={subjects} />,
    },
    {
      id: 'actor',
      label: text.columns.actor,
      kind: 'minor',
      cell: ({ actor_id, actor_name }) => <ActorLink id={actor_id} name={actor_name} />,
    },
    { id: 'at', label: text.columns.at, cell: ({ at }) => <Time at={at} isAge /> },
  ];
  return (
    <section>
      <div className="filter-bar">
        <Filters />
      </div>
      <CursorList
        pages={entries}
        empty={<EmptyState title={Object.keys(filters).length === 0 ? text.noEntriesYet : text.noEntries} />}
      >
        {(rows) => (
          <Table
            label={text.tabs.audit}
            columns={columns}
            rows={rows}
            idOf={({ id }) => id}
            nameOf={titleOf}
            onOpen={setOpen}
          />
        )}
      </CursorList>
      {open && <Entry entry={open} onClose={() => setOpen(undefined)} />}
    </section>
  );
};
