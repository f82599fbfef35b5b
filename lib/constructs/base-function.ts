import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Duration, Stack } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { DEFAULT_TIMEOUT_SECONDS } from '#contract/route.ts';
import { bundleFolder, dist } from '#lib/bundling/paths.ts';
import type { Config } from '#lib/config/schema.ts';
import { constructIdOf, type HandlerFile } from '#lib/handlers.ts';
import { allowLogWrites } from '#lib/iam/statements.ts';
import { logGroup } from './log-group.ts';

/** The kind of a function; it determines the default timeout and, unless the function holds the catalog, the memory. */
type FunctionKind = 'request' | 'subscriber' | 'publisher';

/** Default timeouts in seconds; `docs/functions.md` explains them. */
export const TIMEOUT_SECONDS: Readonly<Record<FunctionKind, number>> = {
  request: DEFAULT_TIMEOUT_SECONDS,
  subscriber: 30,
  publisher: 60,
};

export interface BaseFunctionProps {
  readonly config: Config;
  readonly handlerFile: HandlerFile;
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

/** The bundle of a handler, or an empty folder when the stack is synthesized without bundles. */
const handlerCode = (scope: Construct, path: string): Code => {
  if (Stack.of(scope).bundlingRequired) return Code.fromAsset(bundleFolder(path));
  const empty = join(dist, 'empty');
  mkdirSync(empty, { recursive: true });
  return Code.fromAsset(empty);
};

/** The base of every function: runtime, architecture, log group, tracing. */
export class BaseFunction extends LambdaFunction {
  constructor(scope: Construct, props: BaseFunctionProps) {
    const { config, handlerFile, kind, role } = props;
    const id = constructIdOf(handlerFile.id);
    const reserved = config.reserveConcurrency ? handlerFile.reservedConcurrency : undefined;
    const log = logGroup(scope, `${id}Log`, config);
    const holdsCatalog = handlerFile.permissions.includes('catalog');
    super(scope, id, {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: handlerCode(scope, handlerFile.path),
      handler: 'index.handler',
      role,
      memorySize: props.memoryMb ?? config.memoryMb[holdsCatalog ? 'catalog' : kind],
      timeout: Duration.seconds(props.timeoutSeconds ?? TIMEOUT_SECONDS[kind]),
      ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
      ...(props.variables && { environment: { ...props.variables } }),
      logGroup: log,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel[config.logLevel],
      // From INFO on, each invocation reports its memory and the duration of its start.
      systemLogLevelV2: holdsCatalog ? SystemLogLevel.INFO : SystemLogLevel.WARN,
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
