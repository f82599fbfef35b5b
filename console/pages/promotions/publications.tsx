import { Link } from 'wouter';
import type { Project } from '#contract/projects.ts';
import { DAY_MS } from '../../days.ts';
import { formatTime } from '../../format.ts';
import { endOf, lanesOf, placeOf, useStart, Weeks } from './calendar.tsx';
import { text } from './strings.ts';

/** A publication is a moment, and its bar is as wide as a name needs. */
const WIDTH_MS = 14 * DAY_MS;

/** When approved listings become public, over the weeks of the calendar of slots. */
export const Publications = ({ projects }: { readonly projects: readonly Project[] }) => {
  const { start } = useStart();
  const end = endOf(start);
  const spans = projects.flatMap(({ id, name, publish_at: at }) => {
    const time = Date.parse(at ?? '');
    if (at == null || time < start || time >= end) return [];
    // A bar that began at the end of the calendar would be cut off with its name: it ends at its time instead.
    const isLate = time + WIDTH_MS > end;
    return [{ id, name, at, isLate, from: isLate ? time - WIDTH_MS : time, to: isLate ? time : time + WIDTH_MS }];
  });
  const lanes = lanesOf(spans, start);
  return (
    <section className="card stack tight" aria-label={text.publications}>
      <div className="row">
        <h2>{text.publications}</h2>
      </div>
      <Weeks start={start} note={text.daysAndTimes} />
      {lanes.length === 0 && <p className="soft">{text.noPublications}</p>}
      {lanes.map((lane) => (
        <div key={lane[0]?.id} className="lane">
          {lane.map((span) => (
            <Link
              key={span.id}
              href={`/queue?kind=scheduled&open=${span.id}`}
              className={`slot publication ${span.isLate ? 'late' : ''}`}
              style={placeOf(span, start)}
              title={text.becomesPublic(span.name, formatTime(span.at))}
            >
              <bdi>{span.name}</bdi>
              <span className="visually-hidden">, {formatTime(span.at)}</span>
            </Link>
          ))}
        </div>
      ))}
    </section>
  );
};
