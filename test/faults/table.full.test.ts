import { testFaultsOf } from './matrix.ts';

testFaultsOf('table');
