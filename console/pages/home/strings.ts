import { counted } from '../../format.ts';

export const text = {
  waiting: 'Waiting for you',
  nothing: 'Nothing is waiting',
  clear: 'All clear',
  oldest: (age: string) => `oldest ${age}`,
  pending: 'Pending submissions',
  revisions: 'Pending edits',
  scheduled: 'Scheduled listings',
  reports: 'Open reports',
  voteCases: 'Cases of votes',
  claims: 'Claims of listings',
  promotions: 'Promotions to approve',
  webhooks: 'Failing webhooks',
  deadLetters: 'Dead letters',
  jobs: 'Failed jobs',
  directory: 'The directory',
  liveCount: (count: number) => counted(count, 'live listing'),
  userCount: (count: number) => counted(count, 'user'),
  traffic: 'Page views, last 30 days',
  submissions: 'Submissions, last 30 days',
  events: 'Latest events',
  noEvents: 'No events yet.',
} as const;

export const checklist = {
  title: 'First steps',
  progress: (done: string, all: string) => `${done} of ${all}`,
  done: 'done',
  categories: 'Create categories',
  add: 'Add a listing',
  import: 'Import listings from a CSV file',
  theme: 'Choose the colours of the site',
  replies: 'Write a saved reply for rejections',
  webhook: 'Connect a webhook',
} as const;
