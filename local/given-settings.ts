import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs, parseEnv } from 'node:util';
import type { Variables } from './environment.ts';
import { codeOf, StartupError } from './startup-error.ts';

/** What a command was given besides its environment: arguments, and a file `.env`. */

/** The arguments of a start and the variables that they set. */
const VARIABLE_OF = { port: 'PORT', host: 'HOST', data: 'DATA_DIR' } as const;

const HELP_ADVICE = '`npm start -- --help` lists the arguments.';

/** The folder in which the user ran a command: npm changes to that of the project. */
export const folderOf = (variables: Variables): string =>
  (variables.npm_lifecycle_event && variables.INIT_CWD) || process.cwd();

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: 'string' },
        host: { type: 'string' },
        data: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    // The first sentence names the argument; the rest is advice about the syntax of parsers.
    const [sentence = ''] = (error as Error).message.split(/\.(?:\s|$)|\n/);
    throw new StartupError(`${sentence}. ${HELP_ADVICE}`, { cause: error });
  }
};

/** `npm start --port 4000` gives the argument to npm, which passes at most its value on. */
const checkTakenByNpm = (variables: Variables): void => {
  const name = Object.keys(VARIABLE_OF).find((one) => variables[`npm_config_${one}`] !== undefined);
  if (name === undefined || !variables.npm_lifecycle_event) return;
  throw new StartupError(`npm took --${name} as an option of its own. Write \`npm start -- --${name} …\`.`);
};

/**
 * The port to listen on, 3000 by default.
 * @param name of the setting that has the value, for the message.
 * @throws {StartupError}
 */
export const portOf = (value: string | undefined, name = 'PORT'): number => {
  const port = Number(value || 3000);
  if (/^\d*$/.test(value ?? '') && port <= 65_535) return port;
  throw new StartupError(`${name} is ${value}. It must be a number from 0 to 65535.`);
};

/** The settings that the arguments of a start name. */
interface Arguments {
  readonly isHelp: boolean;
  readonly variables: Variables;
}

/**
 * Reads the arguments of a start. A relative path begins at the folder in which the user ran the command.
 * @throws {StartupError} for unknown arguments, and for values that cannot be right.
 */
export const readArguments = (args: readonly string[], variables: Variables): Arguments => {
  checkTakenByNpm(variables);
  const { help: isHelp = false, port, host, data } = parse(args);
  for (const [name, value] of Object.entries({ port, host, data }))
    if (value === '') throw new StartupError(`The argument --${name} is empty. ${HELP_ADVICE}`);
  portOf(port, '--port');
  return {
    isHelp,
    variables: {
      ...(port !== undefined && { [VARIABLE_OF.port]: port }),
      ...(host !== undefined && { [VARIABLE_OF.host]: host }),
      ...(data !== undefined && { [VARIABLE_OF.data]: path.resolve(folderOf(variables), data) }),
    },
  };
};

const ASSIGNMENT = /^\s*(?:export\s+)?[\w.-]+\s*=/;
/** Comments, and values in quotes, which may have several lines. */
const COMMENT_OR_QUOTED = /(?<=^|[^\S\n])#[^\n]*|(=[^\S\n]*)(["'`]).*?\2/gms;
/** A value that ends where a comment would begin, without a blank between them. */
const CUT_VALUE = /=(?:[^#]*[^\s#])?#/;

/** What is wrong in a line of a file of settings, from 1; undefined for nothing. Comments and blank lines set nothing. */
const lineProblemOf = (text: string): { line: number; problem: string } | undefined => {
  const lines = text
    .replaceAll(COMMENT_OR_QUOTED, (found, start = '') => `${start}${found.replaceAll(/[^\n]/g, '')}`)
    .split('\n');
  for (const [index, line] of lines.entries()) {
    if (line.trim() !== '' && !ASSIGNMENT.test(line)) {
      return { line: index + 1, problem: 'is not of the form NAME=value' };
    }
    if (CUT_VALUE.test(line)) return { line: index + 1, problem: 'has a # in a value, which needs quotes' };
  }
  return undefined;
};

/** A folder of this name has no settings: Python's virtual environments are called so. */
const NO_FILE: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'EISDIR'];

/** The text of a file of settings; undefined when there is none. */
const textOf = (file: string): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (cause) {
    if (NO_FILE.includes(codeOf(cause))) return undefined;
    throw new StartupError(`The settings in ${file} cannot be read: ${(cause as Error).message}.`, { cause });
  }
};

const variablesIn = (text: string, file: string): Variables => {
  const found = lineProblemOf(text);
  // Without the line itself, which may hold a secret.
  if (found) throw new StartupError(`Line ${found.line} of ${file} ${found.problem}.`);
  // Node takes the next line for the value of a line that ends with a blank after `=`.
  return parseEnv(text.replaceAll(/^([^\n=]*=)[^\S\n]+$/gm, '$1'));
};

/** The file `.env` of a command. */
interface EnvFile {
  readonly path: string;
  /** Those that the environment does not have, which takes precedence. */
  readonly variables: Variables;
}

/**
 * Reads the file `.env` in the folder in which the user ran the command.
 * @param environment the variables of the process.
 * @returns undefined when there is none.
 * @throws {StartupError} when it cannot be read, or a line sets no variable.
 */
export const readEnvFile = (environment: Variables): EnvFile | undefined => {
  const file = path.join(folderOf(environment), '.env');
  const text = textOf(file);
  if (text === undefined) return undefined;
  const unset = Object.entries(variablesIn(text, file)).filter(([name]) => environment[name] === undefined);
  return { path: file, variables: Object.fromEntries(unset) };
};
