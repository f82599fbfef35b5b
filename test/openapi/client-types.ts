import type { Client } from '#shared/client.ts';

/**
 * What the compiler must accept and refuse of the client. `tsc` is the runner: an assertion that does not hold is a type
 * error in this file.
 */

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Accepts<Call, Input> = Call extends (input: infer Wanted) => unknown
  ? Input extends Wanted
    ? true
    : false
  : false;
type Answer<Call> = Call extends (...input: never[]) => Promise<infer Reply> ? Reply : never;
type BodyIn<Reply, Status> = Reply extends { status: infer Possible; body: infer Body }
  ? Status extends Possible
    ? Body
    : never
  : never;
type BodyAt<Call, Status> = BodyIn<Answer<Call>, Status>;
type CanBeCalledBare<Call> = Call extends () => unknown ? true : false;

/** Compiles only for `true`. */
const holds = <T extends true>(): T | undefined => undefined;
/** Compiles only for `false`. */
const fails = <T extends false>(): T | undefined => undefined;

type Submit = Client['projects']['submit'];
interface ValidSubmission {
  plan: 'standard';
  name: string;
  url: string;
  description: string;
  categories: string[];
  pricing_type: 'free';
}

export const assertions = [
  // A body is needed, with its required fields, of their types.
  holds<Accepts<Submit, { body: ValidSubmission }>>(),
  fails<Accepts<Submit, { body: Omit<ValidSubmission, 'name'> }>>(),
  fails<Accepts<Submit, { body: Omit<ValidSubmission, 'plan'> & { plan: 'gold' } }>>(),
  fails<CanBeCalledBare<Submit>>(),
  // The answer is discriminated by status.
  holds<Equal<BodyAt<Submit, 201>['data']['status'], 'live' | 'pending' | 'rejected'>>(),
  holds<Equal<BodyAt<Submit, 409>, BodyAt<Submit, 429>>>(),
  holds<Equal<BodyAt<Submit, 429>['retryAfter'], number | undefined>>(),
  holds<Equal<BodyAt<Submit, 299>, never>>(),
  // Queries are optional where nothing in them is needed, and take values or their text.
  holds<CanBeCalledBare<Client['projects']['list']>>(),
  holds<Accepts<Client['projects']['list'], { query: { page: 2; category: ['a', 'b']; sort: 'top_rated' } }>>(),
  holds<Accepts<Client['projects']['list'], { query: { page: '2'; category: 'a,b' } }>>(),
  fails<Accepts<Client['projects']['list'], { query: { sort: 'colour' } }>>(),
  // Path variables are needed by name.
  holds<Accepts<Client['comments']['remove'], { params: { project: string; comment: string } }>>(),
  fails<Accepts<Client['comments']['remove'], { params: { project: string } }>>(),
  fails<CanBeCalledBare<Client['projects']['read']>>(),
  // A body that may be left out, a file, a stream, a text.
  holds<Accepts<Client['projects']['reject'], { params: { project: string } }>>(),
  holds<Accepts<Client['projects']['importCsv'], { body: FormData }>>(),
  fails<Accepts<Client['projects']['importCsv'], { body: { file: string } }>>(),
  holds<Equal<BodyAt<Client['projects']['exportCsv'], 200>, ReadableStream<Uint8Array> | null>>(),
  holds<Equal<BodyAt<Client['reference']['readOpenapi'], 200>, string>>(),
];
