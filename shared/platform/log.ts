import { Logger } from '@aws-lambda-powertools/logger';

/** One JSON object per line. `LOG_LEVEL` decides what is written (`INFO` unless set). */
export const log = new Logger({ serviceName: 'directory' });
