import { Connection, requestOf } from './connection.ts';
import { runTasks, type Send, sendContinuously } from './measuring.ts';

/** The process that sends HTTP requests. Started by http.ts and profile.ts. */

const FAILED = 400;

const open = new Map<number, Connection[]>();

const connectionsTo = (port: number, count: number): readonly Connection[] => {
  const connections = open.get(port) ?? [];
  open.set(port, connections);
  while (connections.length < count) connections.push(new Connection(port));
  return connections.slice(0, count);
};

runTasks((task) => {
  const requests = task.paths.map(requestOf);
  const senders = connectionsTo(task.port, task.concurrency).map(
    (connection): Send =>
      (position) =>
        new Promise((resolve, reject) => {
          const at = position % requests.length;
          connection.send(requests[at] as Buffer, false, (error, response) => {
            if (response && response.status < FAILED) resolve();
            else reject(error ?? new Error(`${task.paths[at]} answered ${response?.status}.`));
          });
        }),
  );
  return sendContinuously(senders, task);
});
