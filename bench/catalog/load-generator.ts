import { Connection, requestOf } from './connection.ts';
import { answerTasks, keepAsking, type Send } from './measuring.ts';

/** The process that sends requests to servers over HTTP; started by bench/catalog/http.ts. */

const FAILED = 400;

const open = new Map<number, Connection[]>();

const connectionsTo = (port: number, count: number): readonly Connection[] => {
  const connections = open.get(port) ?? [];
  open.set(port, connections);
  while (connections.length < count) connections.push(new Connection(port));
  return connections.slice(0, count);
};

answerTasks((task) => {
  const requests = task.paths.map(requestOf);
  const senders = connectionsTo(task.port, task.together).map(
    (connection): Send =>
      (position) =>
        new Promise((resolve, reject) => {
          const at = position % requests.length;
          connection.ask(requests[at] as Buffer, false, (error, answer) => {
            if (answer && answer.status < FAILED) resolve();
            else reject(error ?? new Error(`${task.paths[at]} answered ${answer?.status}.`));
          });
        }),
  );
  return keepAsking(senders, task);
});
