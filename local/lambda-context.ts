import type { Context } from 'aws-lambda';

/** The context of an invocation. */
export const lambdaContext = (functionName: string, requestId: string, timeoutSeconds: number): Context => {
  const deadline = performance.now() + timeoutSeconds * 1000;
  const unsupported = () => undefined;
  return {
    callbackWaitsForEmptyEventLoop: false,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${functionName}`,
    memoryLimitInMB: '1024',
    awsRequestId: requestId,
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    getRemainingTimeInMillis: () => Math.max(0, Math.round(deadline - performance.now())),
    done: unsupported,
    fail: unsupported,
    succeed: unsupported,
  };
};
