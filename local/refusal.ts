/** A start that cannot go on. The message is a whole sentence for whoever typed the command; a stack would not help him. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
}
