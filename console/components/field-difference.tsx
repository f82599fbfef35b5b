import { diffWordsWithSpace } from 'diff';
import { textOf } from './field-value.tsx';

/** What a change removes from a value, and what it adds. */
export const FieldDifference = ({ before, after }: { readonly before: unknown; readonly after: unknown }) => {
  const parts = diffWordsWithSpace(textOf(before), textOf(after));
  return (
    <p className="diff prose" dir="auto">
      {parts.map(({ value, added, removed }, at) => {
        const key = `${at} ${value}`;
        if (added) return <ins key={key}>{value}</ins>;
        return removed ? <del key={key}>{value}</del> : <span key={key}>{value}</span>;
      })}
    </p>
  );
};
