import * as strings from '../strings.ts';

/** A value of a field of any kind, for comparing. */
export const textOf = (value: unknown): string =>
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
