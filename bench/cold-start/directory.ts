import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorld, type World } from '#local/world.ts';

/** A directory on this machine with one project in it, and somebody who may do everything there. */
export interface Directory {
  readonly world: World;
  readonly token: string;
  /** The slug of the project. */
  readonly project: string;
  /** Ends everything and takes the data away. */
  stop(): Promise<void>;
}

const send = async (url: string, method: string, token: string | undefined, body?: unknown): Promise<unknown> => {
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}: ${text}`);
  return JSON.parse(text);
};

/** Starts the embedded engine with everything around it, and puts the project there. */
export const startDirectory = async (): Promise<Directory> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'cold-start-'));
  const world = await startWorld({ port: 0, dataDir });
  const stop = async (): Promise<void> => {
    await world.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    const { access_token: token } = (await send(`${world.url}/_local/token`, 'POST', undefined, {
      email: 'bench@example.com',
      admin: true,
    })) as { access_token: string };
    const { data: category } = (await send(`${world.url}/api/admin/categories`, 'POST', token, { name: 'Micro' })) as {
      data: { slug: string };
    };
    const submitted = (await send(`${world.url}/api/projects`, 'POST', token, {
      plan: 'standard',
      name: 'Brewery',
      url: 'https://brewery.example.com/',
      description: 'A place where beer is made.',
      pricing_type: 'paid',
      categories: [category.slug],
    })) as { data: { slug: string; id: string } };
    await send(`${world.url}/api/admin/projects/${submitted.data.id}/approve`, 'PUT', token);
    return { world, token, project: submitted.data.slug, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};
