import { LogFormatter, Logger, LogItem } from '@aws-lambda-powertools/logger';
import type { LogAttributes, UnformattedAttributes } from '@aws-lambda-powertools/logger/types';
import { loggable } from './loggable.ts';

/** What a line says: what happened and to what, and of errors no more than `loggable` allows, wherever they come from. */
class Lines extends LogFormatter {
  override formatAttributes(
    { logLevel, message, timestamp, serviceName, xRayTraceId }: UnformattedAttributes,
    more: LogAttributes,
  ): LogItem {
    const attributes = {
      level: logLevel,
      message,
      timestamp: this.formatTimestamp(timestamp),
      service: serviceName,
      xray_trace_id: xRayTraceId,
    };
    return new LogItem({ attributes }).addAttributes(more);
  }

  override formatError(error: Error): LogAttributes {
    return { ...loggable(error) };
  }
}

/** One JSON object per line. `LOG_LEVEL` decides what is written (`INFO` unless set). */
export const log = new Logger({ serviceName: 'directory', logFormatter: new Lines() });
