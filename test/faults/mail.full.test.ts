import { testFaultsOf } from './matrix.ts';

testFaultsOf('mail');
