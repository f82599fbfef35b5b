import { testOperations } from './generated-requests.ts';

testOperations(({ method }) => method !== 'GET');
