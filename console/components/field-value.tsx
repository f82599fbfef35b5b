import * as strings from '../strings.ts';

/** A value of a field of any kind, for comparing. */
export const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.join('\n');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

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
