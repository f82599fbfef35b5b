import { launch, signIn } from '#test/console/browser.ts';
const url = process.argv[2]!;
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
await signIn(page, url, 'administrator');
await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
const session = await page.context().newCDPSession(page);
await session.send('Performance.enable');
const metrics = async () => Object.fromEntries((await session.send('Performance.getMetrics')).metrics.map((m: any) => [m.name, m.value])) as any;
const t: number[] = [], cpu: number[] = [];
for (let i = 0; i < 12; i++) { await session.send('Network.clearBrowserCache'); const a = performance.now(); await page.goto(`${url}/console/listings`, { waitUntil: 'commit' }); await page.locator('tbody tr').first().waitFor(); t.push(performance.now() - a); const m = await metrics(); cpu.push(m.TaskDuration * 1000); if (i === 11) { console.log('script', m.ScriptDuration, 'layout', m.LayoutDuration, 'style', m.RecalcStyleDuration);
 console.log(await page.evaluate("JSON.stringify(performance.getEntriesByType('resource').map(r=>[r.name.split('/').slice(3).join('/').slice(0,40), Math.round(r.startTime), Math.round(r.responseEnd)]))")); } }
const s = (a: number[]) => a.toSorted((x, y) => x - y); console.log('interactive', s(t).map(Math.round).join(' '), 'task ms', s(cpu).map(Math.round).join(' '));
const post = async (path: string, body: object, headers = {}) => { const r = await fetch(url + path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } }); if (!r.ok) throw new Error(path + r.status + await r.text()); return await r.json() as any; };
const { access_token } = await post('/_local/token', { email: 'bench@example.com' });
for (let at = 0; at < 60; at++) await post('/api/projects', { plan: 'standard', pricing_type: 'free', categories: [process.argv[3] ?? 'home'], description: 'A listing to decide about.', name: `Decision ${at}`, url: `https://decision-${at}-${Date.now()}.example` }, { authorization: `Bearer ${access_token}`, 'x-forwarded-for': `198.51.100.${at % 10}` });
await page.goto(`${url}/console/queue`);
const detail = page.locator('.queue-detail'); const k: number[] = [], kc: number[] = [], kl: number[] = [];
await detail.locator('h2').waitFor(); await page.waitForTimeout(1000);
for (let at = 0; at < 50; at++) {
  await detail.locator('h2').waitFor(); const name = await detail.getAttribute('aria-label'); const m0 = await metrics(); const a = performance.now();
  await page.keyboard.press('a');
  await page.waitForFunction(`document.querySelector('.queue-detail')?.getAttribute('aria-label') !== ${JSON.stringify(name)} && document.querySelector('.queue-detail h2')`, undefined, { polling: 2 });
  k.push(performance.now() - a); const m1 = await metrics(); kc.push((m1.ScriptDuration - m0.ScriptDuration) * 1000); kl.push((m1.TaskDuration - m0.TaskDuration) * 1000);
  await page.waitForTimeout(Number(process.env.PAUSE ?? 300));
}
const q = (a: number[], p: number) => s(a)[Math.min(a.length - 1, Math.floor(a.length * p))]!.toFixed(0);
console.log('key press', q(k, .5), q(k, .95), 'script', q(kc, .5), q(kc, .95), 'task', q(kl, .5), q(kl, .95));
await browser.close(); process.exit();
