/** A request that the AWS service would reject. */
export class AwsError extends Error {
  override readonly name = 'AwsError';
  /** The service's error code, by which clients tell errors apart. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
