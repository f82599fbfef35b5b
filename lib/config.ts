import { Config, type StageOverrides } from '#lib/config/schema.ts';
import { stageOverrides, standard } from './stages.ts';

/**
 * The settings of a stage: its overrides over the standard settings.
 * @throws Error that lists every invalid setting.
 */
export const parseSettings = (stage: string, overrides: StageOverrides): Config => {
  const parsed = Config.safeParse({ ...standard, ...overrides, stage });
  if (!parsed.success) {
    const wrong = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'the stage'}: ${issue.message}`);
    throw new Error(`The settings of stage "${stage}" are invalid: ${wrong.join('; ')}.`);
  }
  return parsed.data;
};

/**
 * The settings of a stage of this app, with the overrides of `stages.ts`. A stage without overrides is a sandbox.
 * @param stage the value of `-c stage=`.
 * @throws Error when the stage is missing, or that lists every invalid setting.
 */
export const configOf = (
  stage: unknown,
  overrides: Readonly<Record<string, StageOverrides>> = stageOverrides,
): Config => {
  if (typeof stage !== 'string' || stage === '') {
    throw new Error('Name the stage: npx cdk synth -c stage=dev (or staging, prod, or the name of a sandbox).');
  }
  return parseSettings(stage, Object.hasOwn(overrides, stage) ? (overrides[stage] ?? {}) : {});
};
