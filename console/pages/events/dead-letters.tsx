import { useState } from 'react';
import type { DeadLetter } from '#contract/dead-letters.ts';
import { bodyOf, client, dataOf } from '../../api.ts';
import { refresh, useCursorPages } from '../../app/queries.ts';
import { notify, perform } from '../../app/toasts.tsx';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { CursorList } from '../../components/cursor-list.tsx';
import { Payload } from '../../components/payload.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { words } from '../../format.ts';
import * as strings from '../../strings.ts';
import { text } from './strings.ts';

const Letter = ({ letter }: { readonly letter: DeadLetter }) => {
  const [isDeleting, setDeleting] = useState(false);
  const { id, kind, subscriber, failed_at, error, event } = letter;
  const replay = async () => {
    await dataOf(client.deadLetters.replay({ params: { letter: id } }));
    notify(text.replayed);
    await refresh('letters');
  };
  return (
    <li className="card stack tight">
      <div className="row">
        <strong>{words(kind)}</strong>
        <code>{subscriber}</code>
        <span className="soft small">
          <Time at={failed_at} isAge />
        </span>
        <span className="row push">
          <Button onClick={() => void perform(replay)}>{text.replay}</Button>
          <Button kind="danger" onClick={() => setDeleting(true)}>
            {strings.actions.delete}
          </Button>
        </span>
      </div>
      {error !== null && <p className="message bad">{error}</p>}
      <details>
        <summary className="soft small">{text.data}</summary>
        <Payload data={event} />
      </details>
      {isDeleting && (
        <Confirm
          title={text.deleteTitle}
          action={strings.actions.delete}
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await dataOf(client.deadLetters.remove({ params: { letter: id } }));
            notify(text.deleted);
            await refresh('letters');
          }}
        >
          <p>{text.deleteText}</p>
        </Confirm>
      )}
    </li>
  );
};

export const DeadLettersTab = () => {
  const letters = useCursorPages(
    ['letters'],
    (after, signal) => bodyOf(client.deadLetters.list({ query: { ...(after && { after }) }, signal })),
    { poll: true },
  );
  return (
    <section>
      <CursorList
        pages={letters}
        empty={
          <EmptyState title={text.noLetters}>
            <p>{text.noLettersText}</p>
          </EmptyState>
        }
      >
        {(rows) => (
          <ul className="stack">
            {rows.map((letter) => (
              <Letter key={letter.id} letter={letter} />
            ))}
          </ul>
        )}
      </CursorList>
    </section>
  );
};
