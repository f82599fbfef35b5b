import { testFaultsOf } from './matrix.ts';

testFaultsOf('bus');
