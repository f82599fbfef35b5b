import { testFaultsOf } from './matrix.ts';

testFaultsOf('queues');
