import { testFaultsOf } from './matrix.ts';

testFaultsOf('storage');
