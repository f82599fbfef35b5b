import { testFaultsOf } from './matrix.ts';

testFaultsOf('stripe');
