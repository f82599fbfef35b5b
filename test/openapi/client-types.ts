import type { Client } from '#shared/client.ts';

/** Tests of the client's types, run by `tsc`: a failed assertion is a type error in this file. */

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Accepts<Call, Input> = Call extends (input: infer Declared) => unknown
  ? Input extends Declared
    ? true
    : false
  : false;
type ReplyOf<Call> = Call extends (...input: never[]) => Promise<infer Reply> ? Reply : never;
type BodyIn<Reply, Status> = Reply extends { status: infer Possible; body: infer Body }
  ? Status extends Possible
    ? Body
    : never
  : never;
type BodyAt<Call, Status> = BodyIn<ReplyOf<Call>, Status>;
type HasNoRequiredInput<Call> = Call extends () => unknown ? true : false;

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
  // A body is required, with its required fields and their types.
  holds<Accepts<Submit, { body: ValidSubmission }>>(),
  fails<Accepts<Submit, { body: Omit<ValidSubmission, 'name'> }>>(),
  fails<Accepts<Submit, { body: Omit<ValidSubmission, 'plan'> & { plan: 'gold' } }>>(),
  fails<HasNoRequiredInput<Submit>>(),
  // The response is discriminated by status.
  holds<Equal<BodyAt<Submit, 201>['data']['status'], 'live' | 'pending' | 'rejected'>>(),
  holds<Equal<BodyAt<Submit, 409>, BodyAt<Submit, 429>>>(),
  holds<Equal<BodyAt<Submit, 429>['retryAfter'], number | undefined>>(),
  holds<Equal<BodyAt<Submit, 299>, never>>(),
  // A query without required parameters is optional; parameters are values or strings.
  holds<HasNoRequiredInput<Client['projects']['list']>>(),
  holds<Accepts<Client['projects']['list'], { query: { page: 2; category: ['a', 'b']; sort: 'top_rated' } }>>(),
  holds<Accepts<Client['projects']['list'], { query: { page: '2'; category: 'a,b' } }>>(),
  fails<Accepts<Client['projects']['list'], { query: { sort: 'colour' } }>>(),
  // Path variables are required by name.
  holds<Accepts<Client['comments']['remove'], { params: { project: string; comment: string } }>>(),
  fails<Accepts<Client['comments']['remove'], { params: { project: string } }>>(),
  fails<HasNoRequiredInput<Client['projects']['read']>>(),
  // An optional body, a multipart body, a stream and a text.
  holds<Accepts<Client['projects']['reject'], { params: { project: string } }>>(),
  holds<Accepts<Client['projects']['importCsv'], { body: FormData }>>(),
  fails<Accepts<Client['projects']['importCsv'], { body: { file: string } }>>(),
  holds<Accepts<Client['projects']['importCsv'], { body: FormData; query: { dry_run: true } }>>(),
  holds<Equal<BodyAt<Client['projects']['exportCsv'], 200>, ReadableStream<Uint8Array> | null>>(),
  holds<Equal<BodyAt<Client['reference']['readOpenapi'], 200>, string>>(),
];
