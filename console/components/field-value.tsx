import { diffWordsWithSpace } from 'diff';
import { strings } from '../strings.ts';

const textOf = (value: unknown): string =>
  value === null || value === undefined ? '' : Array.isArray(value) ? value.join('\n') : String(value);

/** A value of a field of any kind, as text. */
export const FieldValue = ({ value }: { readonly value: unknown }) => {
  const text = textOf(value);
  return text === '' ? (
    <span className="soft">{strings.fields.empty}</span>
  ) : (
    <span className="prose" dir="auto">
      {text}
    </span>
  );
};

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
