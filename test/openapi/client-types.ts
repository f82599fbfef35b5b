import type { Field, Hours } from '#contract/custom-fields.ts';
import type { Client, FieldValues } from '#shared/client.ts';

/** Tests of the client's types, run by `tsc`: a failed assertion is a type error in this file. */

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Accepts<Call, Input> = Call extends (input: infer Declared) => unknown
  ? Input extends Declared
    ? true
    : false
  : false;
type ResponseOf<Call> = Call extends (...input: never[]) => Promise<infer Result> ? Result : never;
type BodyIn<Result, Status> = Result extends { status: infer Possible; body: infer Body }
  ? Status extends Possible
    ? Body
    : never
  : never;
type BodyAt<Call, Status> = BodyIn<ResponseOf<Call>, Status>;
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

type Listing = BodyAt<Client['projects']['read'], 200>['data'];
type AnyValue = string | number | boolean | string[] | Hours;

const definitions = [
  { key: 'seats', type: 'number', label: 'Seats' },
  { key: 'color', type: 'select', options: [{ value: 'red', label: 'Red' }, { value: 'blue' }] },
  { key: 'colors', type: 'multi_select', options: [{ value: 'red' }, { value: 'blue' }] },
  { key: 'open', type: 'select' },
  { key: 'outside', type: 'boolean' },
  { key: 'since', type: 'date' },
  { key: 'times', type: 'hours' },
] as const;

interface DefinedValues {
  readonly seats?: number;
  readonly color?: 'red' | 'blue';
  readonly colors?: ('red' | 'blue')[];
  readonly open?: string;
  readonly outside?: boolean;
  readonly since?: string;
  readonly times?: Hours;
}
type Defined = FieldValues<typeof definitions>;

export const typedFields = (listing: Listing) => listing.fields as Defined | undefined;

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
  // Values of fields are those of any type; by definitions, those of their types.
  holds<Equal<NonNullable<Listing['fields']>, Record<string, AnyValue>>>(),
  holds<Equal<{ [Key in keyof Defined]: Defined[Key] }, { [Key in keyof DefinedValues]: DefinedValues[Key] }>>(),
  holds<Equal<FieldValues<Field[]>[string], AnyValue | undefined>>(),
  holds<Accepts<Client['projects']['update'], { params: { project: string }; body: { fields: Defined } }>>(),
  fails<Defined extends { color?: 'green' } ? true : false>(),
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
  holds<Equal<BodyAt<Client['docs']['readOpenapi'], 200>, string>>(),
];
