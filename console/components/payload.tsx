/** Data as it is stored. */
export const Payload = ({ label, data }: { readonly label: string; readonly data: unknown }) => (
  <pre className="message payload" aria-label={label}>
    {typeof data === 'string' ? data : JSON.stringify(data, undefined, 2)}
  </pre>
);
