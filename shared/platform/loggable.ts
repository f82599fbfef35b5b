/** What a log says of an error. */
export interface LoggableError {
  readonly error_name: string;
  readonly error_code: string | undefined;
  /** Where it comes from, the nearest call first. */
  readonly error_stack: readonly string[];
  /** Its words and those of its causes, where the log is read by nobody but whoever runs the service. */
  readonly error_words?: readonly string[];
}

const FRAMES_MAX = 12;

const wordOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[\w.$:-]{1,100}$/.test(value) ? value : undefined;

const CAUSES_MAX = 5;

const wordsOf = (error: unknown, left = CAUSES_MAX): readonly string[] =>
  error instanceof Error && left > 0 ? [error.message, ...wordsOf(error.cause, left - 1)] : [];

// On one machine the words of an error are those of whoever reads them; set by it and nowhere else.
const withWords = (): boolean => process.env.LOG_ERROR_WORDS === 'on';

/**
 * What may be logged of an error: its kind and the way to it, never what it carries along, and its words only where
 * `LOG_ERROR_WORDS` is on, as it is on one machine. Libraries repeat there what they were given, such as the text that is no JSON, the address that mail does not reach, the header that is
 * too long.
 */
export const loggable = (error: unknown): LoggableError => {
  if (!(error instanceof Error)) return { error_name: typeof error, error_code: undefined, error_stack: [] };
  const { name, message, stack = '' } = error;
  // The words stand in front of the calls, and could themselves look like one. Where others have taken their place since,
  // nobody can say where they end.
  const begins = stack.indexOf(message);
  const calls = begins < 0 ? '' : stack.slice(begins + message.length);
  return {
    error_name: wordOf(name) ?? 'Error',
    error_code: wordOf('code' in error ? error.code : undefined),
    error_stack: calls
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line.startsWith('at '))
      .slice(0, FRAMES_MAX),
    ...(withWords() && { error_words: wordsOf(error) }),
  };
};

/** A run of a function failed, in words that anybody may read: the runtime logs what a function throws. */
export class RunFailed extends Error {
  override readonly name = 'RunFailed';

  /**
   * @param id of the subscription, job or route.
   * @param error what happened; only its kind is repeated.
   */
  constructor(id: string, error: unknown) {
    const { error_name, error_code } = loggable(error);
    super(`${id} failed: ${[error_name, error_code].filter((word) => word !== undefined).join(' ')}.`);
  }
}
