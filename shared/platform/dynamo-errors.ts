import { AwsError, type Metadata } from './aws-json.ts';

/** Why a part of a transaction was not executed; `None` for parts that could have been. */
interface CancellationReason {
  readonly Code?: string;
  readonly Message?: string;
}

interface ErrorDetails {
  readonly message: string;
  readonly $metadata: Metadata;
  readonly CancellationReasons?: readonly CancellationReason[];
}

/** The condition of a write of one item did not hold. */
export class ConditionalCheckFailedException extends AwsError {
  constructor({ message, $metadata }: ErrorDetails) {
    super('ConditionalCheckFailedException', message, $metadata);
  }
}

/** A write of one item conflicts with a transaction that includes the item. */
export class TransactionConflictException extends AwsError {
  constructor({ message, $metadata }: ErrorDetails) {
    super('TransactionConflictException', message, $metadata);
  }
}

/** A transaction was not executed; with one reason per part, in the order of the parts. */
export class TransactionCanceledException extends AwsError {
  readonly CancellationReasons: readonly CancellationReason[];

  constructor({ message, $metadata, CancellationReasons = [] }: ErrorDetails) {
    super('TransactionCanceledException', message, $metadata);
    this.CancellationReasons = CancellationReasons;
  }
}
