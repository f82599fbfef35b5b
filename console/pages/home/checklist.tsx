import { Check, Circle } from 'lucide-react';
import { Link } from 'wouter';
import { client, dataOf } from '../../api.ts';
import { useResource } from '../../app/queries.ts';
import { isOn } from '../../app/session.ts';
import { useWaiting } from '../../app/waiting.ts';
import { formatNumber } from '../../format.ts';
import { checklist as text } from './strings.ts';

interface Step {
  readonly label: string;
  readonly href: string;
  readonly isDone: boolean;
}

/** What a new directory needs, with what is done already. It is shown until a listing is live. */
export const Checklist = () => {
  const categories = useResource(['categories'], (signal) => dataOf(client.categories.list({ signal })));
  const replies = useResource(['replies'], (signal) => dataOf(client.savedReplies.list({ signal })));
  const webhooks = useResource(
    ['webhooks', 'first'],
    (signal) => dataOf(client.webhooks.list({ query: { limit: 1 }, signal })),
    {
      isEnabled: isOn('webhooks'),
    },
  );
  const summary = useWaiting();
  const steps: readonly Step[] = [
    { label: text.categories, href: '/categories', isDone: (categories.data?.length ?? 0) > 0 },
    { label: text.add, href: '/listings?new=1', isDone: (summary.data?.pending ?? 0) > 0 },
    { label: text.import, href: '/imports', isDone: false },
    { label: text.theme, href: '/settings', isDone: false },
    { label: text.replies, href: '/rules', isDone: (replies.data?.length ?? 0) > 0 },
    ...(isOn('webhooks') ? [{ label: text.webhook, href: '/webhooks', isDone: (webhooks.data?.length ?? 0) > 0 }] : []),
  ];
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <section className="card stack tight">
      <div className="row apart">
        <h2>{text.title}</h2>
        <span className="soft number">{text.progress(formatNumber(done), formatNumber(steps.length))}</span>
      </div>
      <ul className="stack tight">
        {steps.map(({ label, href, isDone }) => (
          <li key={label} className="row">
            {isDone ? (
              <Check size={16} aria-hidden className="done" />
            ) : (
              <Circle size={16} aria-hidden className="soft" />
            )}
            <Link href={href}>{label}</Link>
            {isDone && <span className="soft small">{text.done}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
};
