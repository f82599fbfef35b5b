import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';

/** Hands an answer over piece by piece. Doors that do so bring it along: it loads the streams of the web, which takes time. */
export const streaming = executionModeStreamifyResponse;
