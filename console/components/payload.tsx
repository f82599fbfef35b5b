/** Data as it is stored. */
export const Payload = ({ data }: { readonly data: unknown }) => (
  <pre className="message payload">{typeof data === 'string' ? data : JSON.stringify(data, undefined, 2)}</pre>
);
