/** A request that the service in place of which we answer would have refused. */
export class AwsFailure extends Error {
  override readonly name = 'AwsFailure';
  /** What the service's clients know the refusal by. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
