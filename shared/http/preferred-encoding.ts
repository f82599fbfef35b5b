/**
 * The encoding with the highest weight in `Accept-Encoding`; the first of equal ones.
 * @returns undefined when the client accepts none of them.
 */
export const preferredEncoding = <Encoding extends string>(
  acceptEncoding: string | undefined,
  encodings: readonly Encoding[],
): Encoding | undefined => {
  const weights = new Map<string, number>();
  for (const part of (acceptEncoding ?? '').split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const weight = Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1);
    if (name !== '') weights.set(name, Number.isNaN(weight) ? 0 : weight);
  }
  const weightOf = (encoding: Encoding): number => weights.get(encoding) ?? weights.get('*') ?? 0;
  const [best] = encodings
    .filter((encoding) => weightOf(encoding) > 0)
    .toSorted((one, other) => weightOf(other) - weightOf(one));
  return best;
};
