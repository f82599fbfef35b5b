import type { GateRequest } from '#http/call.ts';
import { AppError } from '#shared/errors.ts';

/** Turns whatever was thrown into the contract's body. What nobody meant to throw is a 500 that says nothing of its cause. */
export const failure = {
  onError: (request: GateRequest): void => {
    const { state } = request.internal;
    const known = request.error instanceof AppError ? request.error : undefined;
    if (!known) state.cause = request.error;
    const error = known ?? new AppError('INTERNAL', { request_id: state.requestId });
    const { retryAfter } = error.extra;
    request.response = {
      statusCode: error.status,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        ...(typeof retryAfter === 'number' && { 'retry-after': String(retryAfter) }),
      },
      body: JSON.stringify(error.body),
    };
  },
};
