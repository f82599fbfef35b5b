import { endOfDaySeconds } from './days.ts';
import {
  type DayFigures,
  type Hit,
  isOfProject,
  noFigures,
  projectFiguresWith,
  siteFiguresWith,
  viewsIn,
} from './figures.ts';
import { firstPortions, type Portion } from './portion.ts';
import type { TrackedBatch } from './track.ts';

/** The figures of a day of the site. Whoever changes them has read this version. */
export interface SiteDay extends DayFigures {
  readonly version: number;
  /** Its visitors are forgotten and nothing is added any more. */
  readonly closed: boolean;
}

/** A visitor of a day, and whose pages he has seen on it. */
export interface SeenVisitor {
  readonly visitor: string;
  readonly projects: readonly string[];
}

/** What rolls up together: all of it is written, or nothing. */
export interface RollUpStep {
  readonly previous: SiteDay | undefined;
  readonly next: SiteDay;
  readonly portions: readonly Portion[];
  /** Those who are new, or have seen something new. */
  readonly visitors: readonly SeenVisitor[];
  readonly projects: readonly { readonly id: string; readonly views: number; readonly figures: DayFigures }[];
}

/** What rolling up takes. */
export interface RollUpPorts {
  readonly now: () => string;
  /** How many writes a step may have. */
  readonly writesMax: number;
  /** The days that have not been closed. */
  readonly openDays: () => Promise<readonly string[]>;
  /** Some of what waits, of one day; none when nothing waits. */
  readonly trackedOf: (day: string) => Promise<readonly TrackedBatch[]>;
  readonly findSiteDay: (day: string) => Promise<SiteDay | undefined>;
  /** The ids of those projects that are live, by id or slug as it was sent. */
  readonly liveProjects: (references: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly findVisitors: (day: string, visitors: readonly string[]) => Promise<readonly SeenVisitor[]>;
  readonly findProjectDays: (day: string, projectIds: readonly string[]) => Promise<ReadonlyMap<string, DayFigures>>;
  /** @throws an error named `ConditionFailed` when something is not as it was read any more. */
  readonly applyStep: (step: RollUpStep) => Promise<void>;
  /** Removes who visited on a day. @returns whether nobody is left. */
  readonly forgetVisitors: (day: string) => Promise<boolean>;
  /**
   * Removes the salt of a day and closes its figures, where it has figures.
   * @throws an error named `ConditionFailed` when they are not as they were read any more.
   */
  readonly closeDay: (day: string, known: SiteDay | undefined) => Promise<void>;
}

/** How long after its end a day is closed, in seconds: much longer than any request lasts. */
const CLOSED_AFTER_SECONDS = 3600;
/** When a run leaves the rest to the next unless it is told, in milliseconds. */
const RUN_MS = 20_000;
/** How often in a row a run decides anew before it leaves the rest to the one that is always faster. */
const LOSSES_MAX = 20;
/** Whose pages one visitor has seen on a day is remembered up to this many projects. */
const PROJECTS_PER_VISITOR = 2000;

const isOvertaken = (error: unknown): boolean => error instanceof Error && error.name === 'ConditionFailed';

const grouped = <T>(all: readonly T[], keyOf: (one: T) => string | null): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    if (key === null) continue;
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return groups;
};

/** Who of the visitors in some hits is new, to the site and to each project. */
const newcomers = (known: readonly SeenVisitor[], hits: readonly Hit[]) => {
  const seen = new Map(known.map(({ visitor, projects }) => [visitor, projects]));
  const changed: SeenVisitor[] = [];
  const perProject = new Map<string, number>();
  let toSite = 0;
  for (const [visitor, own] of grouped(hits, ({ from }) => from.visitor)) {
    const before = seen.get(visitor);
    if (before === undefined) toSite += 1;
    const projects = new Set(before);
    for (const hit of own) {
      const { projectId } = hit;
      if (projectId === null || !isOfProject(hit) || projects.has(projectId)) continue;
      if (projects.size >= PROJECTS_PER_VISITOR) break;
      projects.add(projectId);
      perProject.set(projectId, (perProject.get(projectId) ?? 0) + 1);
    }
    if (before === undefined || projects.size > before.length) changed.push({ visitor, projects: [...projects] });
  }
  return { toSite, perProject, changed };
};

const stepFor = async (ports: RollUpPorts, day: string, portions: readonly Portion[]): Promise<RollUpStep> => {
  const lines = portions.flatMap(({ batch, upTo }) =>
    batch.lines.slice(batch.done, upTo).map((line) => ({ from: batch, line })),
  );
  const references = [...new Set(lines.flatMap(({ line }) => line.project ?? []))];
  const visitors = [...new Set(portions.flatMap(({ batch }) => batch.visitor ?? []))];
  const [previous, live, known] = await Promise.all([
    ports.findSiteDay(day),
    ports.liveProjects(references),
    ports.findVisitors(day, visitors),
  ]);
  const hits = lines.map(({ from, line }): Hit => {
    // Whoever comes when the day's visitors are forgotten cannot be told from them.
    const sender = previous?.closed ? { ...from, visitor: null } : from;
    return { from: sender, line, projectId: line.project === null ? null : (live.get(line.project) ?? null) };
  });
  const ofProjects = grouped(hits.filter(isOfProject), ({ projectId }) => projectId);
  const figures = await ports.findProjectDays(day, [...ofProjects.keys()]);
  const { toSite, perProject, changed } = newcomers(known, hits);
  const before = previous ?? { ...noFigures(day), version: 0, closed: false };
  return {
    previous,
    next: { ...siteFiguresWith(before, hits, toSite), version: before.version + 1 },
    portions,
    visitors: changed,
    projects: [...ofProjects].map(([id, own]) => ({
      id,
      views: viewsIn(own),
      figures: projectFiguresWith(figures.get(id) ?? noFigures(day), own, perProject.get(id) ?? 0),
    })),
  };
};

const eventsIn = (portions: readonly Portion[]): number =>
  portions.flatMap(({ batch, upTo }) => batch.lines.slice(batch.done, upTo)).reduce((sum, { count }) => sum + count, 0);

/** Adds what waits of one day to its figures. @returns how many events, and whether nothing waits any more. */
const rollUpDay = async (ports: RollUpPorts, day: string, isLate: () => boolean) => {
  let processed = 0;
  let losses = 0;
  while (losses < LOSSES_MAX) {
    const waiting = await ports.trackedOf(day);
    if (waiting.length === 0) return { processed, isDone: true };
    if (isLate()) break;
    const portions = firstPortions(waiting, ports.writesMax);
    try {
      await ports.applyStep(await stepFor(ports, day, portions));
      processed += eventsIn(portions);
      losses = 0;
    } catch (error) {
      if (!isOvertaken(error)) throw error;
      losses += 1;
    }
  }
  return { processed, isDone: false };
};

/** Forgets who visited on a day that is over. @returns whether nobody is left. */
const forget = async (ports: RollUpPorts, day: string): Promise<boolean> => {
  const known = await ports.findSiteDay(day);
  if (!(await ports.forgetVisitors(day))) return false;
  try {
    await ports.closeDay(day, known);
    return true;
  } catch (error) {
    if (!isOvertaken(error)) throw error;
    return false;
  }
};

/**
 * Adds what was tracked to the figures of its day, raises the views of projects, and forgets who visited on days that are
 * over. What a request brought is taken away in the transaction that adds it, so it is counted once however often, late
 * or at the same time as itself this runs, and wherever it is interrupted.
 * @param budgetMs after which time it leaves the rest to the next run.
 * @returns how many events were added now, and whether something was left.
 */
export const rollUp = async (
  ports: RollUpPorts,
  budgetMs: number = RUN_MS,
): Promise<{ processed: number; unfinished: boolean }> => {
  const beganAt = ports.now();
  const isLate = () => Date.parse(ports.now()) - Date.parse(beganAt) > budgetMs;
  let processed = 0;
  let unfinished = false;
  for (const day of await ports.openDays()) {
    const added = await rollUpDay(ports, day, isLate);
    processed += added.processed;
    const isOver = Date.parse(beganAt) / 1000 >= endOfDaySeconds(day) + CLOSED_AFTER_SECONDS;
    const isDone = added.isDone && (!isOver || (await forget(ports, day)));
    unfinished ||= !isDone;
  }
  return { processed, unfinished };
};
