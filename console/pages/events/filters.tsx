import { useUrl } from '../../app/url.ts';
import { TextField } from '../../components/fields.tsx';

const names = ['actor', 'subject', 'from', 'to'] as const;

/** The filters that the ledger and the audit log share, from the address. */
export const useFilters = (): Partial<Record<(typeof names)[number], string>> => {
  const [url] = useUrl();
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = url.get(name);
      return value === null || value === '' ? [] : [[name, value]];
    }),
  );
};

export const Filters = () => {
  const [url, setUrl] = useUrl();
  return names.map((name) => (
    <TextField
      key={name}
      name={name}
      type={name === 'from' || name === 'to' ? 'date' : 'search'}
      {...(name === 'subject' && { placeholder: 'project:prj_…' })}
      value={url.get(name) ?? ''}
      onChange={(value) => setUrl({ [name]: value }, { replace: true })}
    />
  ));
};
