import { Duration } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { DEFAULT_TIMEOUT_SECONDS } from '#contract/route.ts';
import type { Config } from '#lib/config/schema.ts';
import { constructIdOf, type HandlerFile } from '#lib/handlers.ts';
import { handlerCode } from './handler-code.ts';
import { logGroup } from './logs.ts';
import { allowLogWrites } from './statements.ts';

/** The kind of a function; it determines default memory and timeout. */
export type FunctionKind = 'request' | 'catalog' | 'subscriber' | 'publisher';

/** Default timeouts in seconds; `docs/functions.md` explains them. */
export const TIMEOUT_SECONDS: Readonly<Record<FunctionKind, number>> = {
  request: DEFAULT_TIMEOUT_SECONDS,
  catalog: DEFAULT_TIMEOUT_SECONDS,
  subscriber: 30,
  publisher: 60,
};

export interface PlainFunctionProps {
  readonly config: Config;
  readonly handlerFile: Pick<HandlerFile, 'id' | 'path'>;
  readonly kind: FunctionKind;
  readonly description: string;
  /** It is also granted writing to the log of the function. */
  readonly role: Role;
  readonly variables?: Readonly<Record<string, string>>;
  readonly timeoutSeconds?: number | undefined;
  readonly memoryMb?: number | undefined;
  /** Receives asynchronous events that failed three times. */
  readonly deadLetterQueue?: IQueue;
}

/** The base of every function: runtime, architecture, log group, tracing. */
export class PlainFunction extends LambdaFunction {
  constructor(scope: Construct, props: PlainFunctionProps) {
    const { config, handlerFile, kind, role } = props;
    const id = constructIdOf(handlerFile.id);
    const reserved = config.reservedConcurrency[handlerFile.id];
    const log = logGroup(scope, `${id}Log`, config);
    super(scope, id, {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: handlerCode(scope, handlerFile.path),
      handler: 'index.handler',
      role,
      memorySize: props.memoryMb ?? config.memoryMb[kind],
      timeout: Duration.seconds(props.timeoutSeconds ?? TIMEOUT_SECONDS[kind]),
      ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
      ...(props.variables && { environment: { ...props.variables } }),
      logGroup: log,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel[config.logLevel],
      systemLogLevelV2: SystemLogLevel.WARN,
      tracing: Tracing.ACTIVE,
      ...(props.deadLetterQueue && {
        deadLetterQueue: props.deadLetterQueue,
        retryAttempts: 2,
        maxEventAge: Duration.hours(6),
      }),
    });
    role.addToPolicy(allowLogWrites(log));
  }
}
