import { LogFormatter, Logger, LogItem } from '@aws-lambda-powertools/logger';
import type { LogAttributes, UnformattedAttributes } from '@aws-lambda-powertools/logger/types';
import { loggable } from './loggable.ts';

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
