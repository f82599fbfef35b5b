/** The memory of the function in MB; on one machine that of the largest function. */
export const processMemoryMb = Number(process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE ?? 10_240);
