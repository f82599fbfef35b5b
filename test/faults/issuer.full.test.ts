import { testFaultsOf } from './matrix.ts';

testFaultsOf('issuer');
