import { LogFormatter, Logger, LogItem } from '@aws-lambda-powertools/logger';
import type { LogAttributes, UnformattedAttributes } from '@aws-lambda-powertools/logger/types';

/** The loggable part of an error: the member `error` of a log line. */
interface LoggableError {
  readonly name: string;
  readonly code: string | undefined;
  /** Stack frames, innermost first. */
  readonly stack: readonly string[];
  /** The messages of the error and its causes; only with `LOG_ERROR_MESSAGES`. */
  readonly messages?: readonly string[];
}

const FRAMES_MAX = 12;
const CAUSES_MAX = 5;

const identifierOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[\w.$:-]{1,100}$/.test(value) ? value : undefined;

const messagesOf = (error: unknown, left = CAUSES_MAX): readonly string[] =>
  error instanceof Error && left > 0 ? [error.message, ...messagesOf(error.cause, left - 1)] : [];

// Set by the local server only, where operator and users are the same person.
const logsMessages = (): boolean => process.env.LOG_ERROR_MESSAGES === 'on';

/**
 * The name, code and stack frames of an error, without message and properties: libraries repeat input there, such as
 * malformed JSON, an undeliverable mail address or an oversized header. Includes messages if `LOG_ERROR_MESSAGES` is `on`.
 */
export const loggable = (error: unknown): LoggableError => {
  if (!(error instanceof Error)) return { name: typeof error, code: undefined, stack: [] };
  const { name, message, stack = '' } = error;
  // The message precedes the frames and may itself look like one. If it was changed after the stack was captured, the
  // frames cannot be located and are omitted.
  const messageStart = stack.indexOf(message);
  const frames = messageStart < 0 ? '' : stack.slice(messageStart + message.length);
  return {
    name: identifierOf(name) ?? 'Error',
    code: identifierOf('code' in error ? error.code : undefined),
    stack: frames
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line.startsWith('at '))
      .slice(0, FRAMES_MAX),
    ...(logsMessages() && { messages: messagesOf(error) }),
  };
};

/** A failed run of a subscription, job or route. Its message is safe to log, because the runtime logs thrown errors. */
export class RunFailed extends Error {
  override readonly name = 'RunFailed';

  /** @param error only its name and code are repeated. */
  constructor(id: string, error: unknown) {
    const { name, code } = loggable(error);
    super(`${id} failed: ${[name, code].filter((part) => part !== undefined).join(' ')}.`);
  }
}

/** Formats log lines. Errors, wherever they occur in a line, are reduced to what `loggable` permits. */
class LineFormatter extends LogFormatter {
  override formatAttributes(
    { logLevel, message, timestamp, serviceName, xRayTraceId }: UnformattedAttributes,
    additional: LogAttributes,
  ): LogItem {
    const attributes = {
      level: logLevel,
      message,
      timestamp: this.formatTimestamp(timestamp),
      service: serviceName,
      xray_trace_id: xRayTraceId,
    };
    return new LogItem({ attributes }).addAttributes(additional);
  }

  override formatError(error: Error): LogAttributes {
    return { ...loggable(error) };
  }
}

/** Writes one JSON object per line. `LOG_LEVEL` sets the level (default `INFO`). */
export const log = new Logger({ serviceName: 'directory', logFormatter: new LineFormatter() });
