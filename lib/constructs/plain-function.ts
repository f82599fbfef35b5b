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
import type { Config } from '../config.ts';
import { constructIdOf, type Door } from '../doors.ts';
import { mayWrite } from './capabilities.ts';
import { doorCode } from './door-code.ts';
import { logGroup } from './logs.ts';

/** What a function is there for; it decides its memory and how long one run may take. */
export type FunctionKind = 'request' | 'catalog' | 'subscriber' | 'publisher';

/** How long one run may take unless its declaration says otherwise, in seconds; `docs/functions.md` has the reasons. */
export const TIMEOUT_SECONDS: Readonly<Record<FunctionKind, number>> = {
  request: 10,
  catalog: 10,
  subscriber: 30,
  publisher: 60,
};

export interface PlainFunctionProps {
  readonly config: Config;
  readonly door: Pick<Door, 'id' | 'path'>;
  readonly kind: FunctionKind;
  readonly description: string;
  /** It is also allowed to write the function's log. */
  readonly role: Role;
  readonly variables?: Readonly<Record<string, string>>;
  readonly timeoutSeconds?: number | undefined;
  readonly memoryMb?: number | undefined;
  /** Where events end that it could not deal with, after two more tries. */
  readonly deadLetterQueue?: IQueue;
}

/** The base of every function: one runtime, one processor, its own log, traces. */
export class PlainFunction extends LambdaFunction {
  constructor(scope: Construct, props: PlainFunctionProps) {
    const { config, door, kind, role } = props;
    const id = constructIdOf(door.id);
    const reserved = config.reservedConcurrency[door.id];
    const log = logGroup(scope, `${id}Log`, config);
    super(scope, id, {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: doorCode(scope, door.path),
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
    role.addToPolicy(mayWrite(log));
  }
}
