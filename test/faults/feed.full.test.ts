import { testFaultsOf } from './matrix.ts';

testFaultsOf('feed');
