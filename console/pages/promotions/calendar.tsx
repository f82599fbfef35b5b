import { Link } from 'wouter';
import type { Promotion } from '#contract/promotions.ts';
import { useUrl } from '../../app/url.ts';
import { Button } from '../../components/button.tsx';
import { ListingName } from '../../components/record-link.tsx';
import { DAY_MS, isDay, utcDayOf } from '../../days.ts';
import { formatDay, formatDayOfMonth, words } from '../../format.ts';
import { text } from './strings.ts';

const WEEKS = 8;
const SPAN_MS = WEEKS * 7 * DAY_MS;
/** How much of the past the calendar shows at first. */
const LEAD_MS = 7 * DAY_MS;
const MONTH_MS = 30 * DAY_MS;

interface Times {
  readonly from: number;
  readonly to: number;
}

interface Span extends Times {
  readonly promotion: Promotion;
}

/** The time that a promotion holds its slots: a pending one as if it was approved now. */
const spanOf = (promotion: Promotion): Span | undefined => {
  const { status, starts_at, ends_at, months } = promotion;
  if (status === 'pending') return { promotion, from: Date.now(), to: Date.now() + (months ?? 1) * MONTH_MS };
  if (status === 'pending_payment' || starts_at === null || ends_at === null) return undefined;
  return { promotion, from: Date.parse(starts_at), to: Date.parse(ends_at) };
};

/** When the calendar that begins at a time ends. */
export const endOf = (start: number): number => start + SPAN_MS;

/** The spans that are seen, in lanes: those that overlap stand in different ones. */
export const lanesOf = <S extends Times>(all: readonly S[], start: number): readonly (readonly S[])[] => {
  const spans = all.filter(({ from, to }) => to > start && from < endOf(start));
  const lanes: S[][] = [];
  for (const span of spans.toSorted((one, other) => one.from - other.from)) {
    const free = lanes.find((lane) => (lane.at(-1)?.to ?? 0) <= span.from);
    if (free) free.push(span);
    else lanes.push([span]);
  }
  return lanes;
};

const percent = (ms: number): string => `${(ms / SPAN_MS) * 100}%`;

/** Where a bar stands in its lane. */
export const placeOf = ({ from, to }: Times, start: number) => {
  const [left, right] = [Math.max(from, start), Math.min(to, endOf(start))];
  return { insetInlineStart: percent(left - start), width: percent(right - left) };
};

const Bar = ({ span, start }: { readonly span: Span; readonly start: number }) => {
  const { promotion, from, to } = span;
  const dates = text.dates(formatDay(utcDayOf(from)), formatDay(utcDayOf(to)));
  return (
    <Link
      href={`/promotions?status=all&open=${promotion.id}`}
      className={`slot ${promotion.status}`}
      style={placeOf(span, start)}
      title={`${text.states[promotion.status]}, ${dates}`}
    >
      <ListingName id={promotion.project_id} />
      <span className="visually-hidden">
        , {text.states[promotion.status]}, {dates}
      </span>
    </Link>
  );
};

export interface Slots {
  readonly placement: string;
  /** Null for any number. */
  readonly slots: number | null;
}

/** The begin of the eight weeks that the calendars of the page show. */
export const useStart = () => {
  const [url, setUrl] = useUrl();
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const asked = url.get('from') ?? '';
  const start = isDay(asked) ? Date.parse(asked) : today - LEAD_MS;
  const move = (step: number) => setUrl({ from: utcDayOf(start + step * 4 * 7 * DAY_MS) }, { replace: true });
  return { start, move };
};

export const Weeks = ({ start, note }: { readonly start: number; readonly note: string }) => {
  const weeks = Array.from({ length: WEEKS }, (_, week) => utcDayOf(start + week * 7 * DAY_MS));
  return (
    <>
      <p className="soft small">{note}</p>
      <div className="slot-weeks small soft" aria-hidden>
        {weeks.map((week) => (
          <span key={week}>{formatDayOfMonth(week)}</span>
        ))}
      </div>
    </>
  );
};

/** What is sold, waiting and free in each placement over eight weeks. */
export const Calendar = ({
  promotions,
  placements,
}: {
  readonly promotions: readonly Promotion[];
  readonly placements: readonly Slots[];
}) => {
  const { start, move } = useStart();
  const spans = promotions.flatMap((promotion) => spanOf(promotion) ?? []);
  return (
    <section className="card stack tight">
      <div className="row apart">
        <h2>{text.calendar}</h2>
        <span className="row">
          <span className="slot-key active">{text.sold}</span>
          <span className="slot-key pending">{text.waiting}</span>
          <span className="slot-key">{text.free}</span>
          <Button icon="previous" label={text.earlier} onClick={() => move(-1)} />
          <Button icon="next" label={text.later} onClick={() => move(1)} />
        </span>
      </div>
      <Weeks start={start} note={text.days} />
      {placements.map(({ placement, slots }) => {
        const own = spans.filter(({ promotion }) => (promotion.placements as readonly string[]).includes(placement));
        const held = own.filter(
          ({ promotion: { status }, from, to }) =>
            (status === 'active' || status === 'pending') && from <= Date.now() && to > Date.now(),
        ).length;
        const lanes = lanesOf(own, start);
        const count = Math.max(lanes.length, 1, slots === null ? 0 : Math.min(slots, 8));
        return (
          <section key={placement} className="placement" aria-label={words(placement)}>
            <h3>
              {words(placement)}{' '}
              <span className="soft">
                {slots === null ? text.unlimited(held) : text.freeNow(Math.max(0, slots - held), slots)}
              </span>
            </h3>
            {Array.from({ length: count }, (_, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a lane is its position.
              <div key={at} className="lane">
                {lanes[at]?.map((span) => (
                  <Bar key={span.promotion.id} span={span} start={start} />
                ))}
              </div>
            ))}
          </section>
        );
      })}
    </section>
  );
};
