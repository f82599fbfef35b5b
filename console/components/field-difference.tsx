import { diffWordsWithSpace } from 'diff';
import { textOf } from './field-value.tsx';

/** From this length on, the whole old and the whole new text stand beside each other. */
const LONG = 160;

type Part = ReturnType<typeof diffWordsWithSpace>[number];

const Marked = ({ parts }: { readonly parts: readonly Part[] }) => (
  <p className="diff prose" dir="auto">
    {parts.map(({ value, added, removed }, at) => {
      const key = `${at} ${value}`;
      if (added) return <ins key={key}>{value}</ins>;
      return removed ? <del key={key}>{value}</del> : <span key={key}>{value}</span>;
    })}
  </p>
);

/** What a change removes from a value, and what it adds. */
export const FieldDifference = ({ before, after }: { readonly before: unknown; readonly after: unknown }) => {
  const [old, next] = [textOf(before), textOf(after)];
  const parts = diffWordsWithSpace(old, next);
  // Words of which none stayed would run together.
  const isReplaced = old !== '' && next !== '' && !parts.some((part) => !part.added && !part.removed);
  if (!isReplaced && old.length + next.length < LONG) return <Marked parts={parts} />;
  return (
    <div className="difference">
      <Marked parts={parts.filter(({ added }) => !added)} />
      <Marked parts={parts.filter(({ removed }) => !removed)} />
    </div>
  );
};
