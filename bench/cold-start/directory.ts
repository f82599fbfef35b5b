import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalServer, startLocalServer } from '#local/server.ts';

/** A local directory with one project, and an administrator. */
export interface Directory {
  readonly server: LocalServer;
  /** Of an administrator. */
  readonly token: string;
  /** The slug of the project. */
  readonly project: string;
  /** Stops the server and deletes its data. */
  stop(): Promise<void>;
}

const send = async (url: string, method: string, token: string | undefined, body?: unknown): Promise<unknown> => {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url} answered ${response.status}: ${text}`);
  return JSON.parse(text);
};

/** Starts the local server and creates the project. */
export const startDirectory = async (): Promise<Directory> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'cold-start-'));
  const server = await startLocalServer({ port: 0, dataDir });
  const stop = async (): Promise<void> => {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    const { access_token: token } = (await send(`${server.url}/_local/token`, 'POST', undefined, {
      email: 'bench@example.com',
      admin: true,
    })) as { access_token: string };
    const { data: category } = (await send(`${server.url}/api/admin/categories`, 'POST', token, { name: 'Micro' })) as {
      data: { slug: string };
    };
    const submitted = (await send(`${server.url}/api/projects`, 'POST', token, {
      plan: 'standard',
      name: 'Brewery',
      url: 'https://brewery.example.com/',
      description: 'A place where beer is made.',
      pricing_type: 'paid',
      categories: [category.slug],
    })) as { data: { slug: string; id: string } };
    await send(`${server.url}/api/admin/projects/${submitted.data.id}/approve`, 'PUT', token);
    return { server, token, project: submitted.data.slug, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};
