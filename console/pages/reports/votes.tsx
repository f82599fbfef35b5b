import { useState } from 'react';
import { Link } from 'wouter';
import type { VoteCase, VoteCaseState } from '#contract/vote-cases.ts';
import { bodyOf, client, responseOf } from '../../api.ts';
import { refresh } from '../../app/queries.ts';
import { notify, perform } from '../../app/toasts.tsx';
import { Badge, type Tone } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { TextArea } from '../../components/fields.tsx';
import { FilteredRows } from '../../components/filtered-rows.tsx';
import { Time } from '../../components/time.tsx';
import { UserLink } from '../../components/user-link.tsx';
import * as strings from '../../strings.ts';
import { votes as text } from './strings.ts';

const filters = ['open', 'held', 'released', 'all'] as const satisfies readonly (VoteCaseState | 'all')[];

const tones = { open: 'wait', held: 'bad', released: 'good' } as const satisfies Record<VoteCaseState, Tone>;

type Decision = Exclude<VoteCaseState, 'open'>;

/** Decides a case. @returns whether the rest of a large case follows in the background. */
const decide = async (id: string, decision: Decision, note: string): Promise<boolean> => {
  const call = decision === 'held' ? client.voteCases.hold : client.voteCases.release;
  const { status } = await responseOf(call({ params: { case: id }, body: { note: note.trim() || null } }));
  await refresh('voteCases', 'projects', 'summary');
  return status === 202;
};

/** Who voted, how old the account was, and why the vote is in the case. */
const Accounts = ({ of }: { readonly of: VoteCase }) => (
  <details>
    <summary className="soft small">{text.accounts(of.accounts.length, of.votes)}</summary>
    <div className="table-frame">
      <table className="table">
        <caption className="visually-hidden">{text.accountsOf(of.project.name)}</caption>
        <thead>
          <tr>
            <th>{text.columns.account}</th>
            <th>{text.columns.joined}</th>
            <th>{text.columns.voted}</th>
            <th className="minor">{text.columns.signals}</th>
          </tr>
        </thead>
        <tbody>
          {of.accounts.map((account) => (
            <tr key={account.id}>
              <td className="main-cell">
                <UserLink user={account} />
              </td>
              <td>
                <Time at={account.joined_at} isAge />
              </td>
              <td>
                <Time at={account.voted_at} isAge />
              </td>
              <td className="minor">{account.signals.map((signal) => text.signals[signal]).join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </details>
);

const Case = ({ of }: { readonly of: VoteCase }) => {
  const { id, project, state } = of;
  const [note, setNote] = useState('');
  const run = (decision: Decision) =>
    perform(async () => {
      const continues = await decide(id, decision, note);
      setNote('');
      const done = text.done[decision](project.name);
      // An open case that was released stays decided; its votes count as before.
      const opposite = decision === 'held' ? 'released' : 'held';
      const undo = state === 'open' && decision === 'released' ? undefined : () => decide(id, opposite, of.note ?? '');
      notify(continues ? `${done} ${text.continues}` : done, undo);
    });
  return (
    <div className="stack">
      <h2 className="row">
        <Link href={`/listings?open=${project.id}`} className="shrink">
          <bdi>{project.name}</bdi>
        </Link>
        <Badge tone={tones[state]}>{text.states[state]}</Badge>
        <span className="soft small">
          {text.count(of.votes)} · {text.opened} <Time at={of.opened_at} isAge />
          {of.decided_at !== null && (
            <>
              {' '}
              · {text.decided} <Time at={of.decided_at} isAge />
            </>
          )}
        </span>
      </h2>
      <ul className="stack tight">
        {of.signals.map(({ name, explanation }) => (
          <li key={name} className="reading">
            <strong>{text.signals[name]}:</strong> {explanation}
          </li>
        ))}
      </ul>
      <Accounts of={of} />
      {of.note !== null && (
        <p className="soft reading prose" dir="auto">
          {text.note}: {of.note}
        </p>
      )}
      <div className="form">
        <TextArea name="note" value={note} rows={2} hint={text.noteHint} onChange={setNote} />
      </div>
      <div className="row">
        {state !== 'held' && (
          <Button kind="danger" onClick={() => void run('held')}>
            {strings.actions.counted(text.hold, of.votes)}
          </Button>
        )}
        {state !== 'released' && (
          <Button onClick={() => void run('released')}>
            {strings.actions.counted(state === 'open' ? text.close : text.release, of.votes)}
          </Button>
        )}
      </div>
    </div>
  );
};

/** Conspicuous votes, in cases that are held or released. */
export const VotesTab = () => (
  <FilteredRows
    resource={['voteCases', 'list']}
    read={(state, paging, signal) =>
      bodyOf(client.voteCases.list({ query: { ...paging, ...(state !== 'all' && { state }) }, signal }))
    }
    parameter="state"
    filters={filters}
    text={text}
    idOf={({ id }) => id}
    lead={<p className="soft small">{text.explained}</p>}
    focusNote={text.focusNote}
  >
    {(one) => <Case of={one} />}
  </FilteredRows>
);
