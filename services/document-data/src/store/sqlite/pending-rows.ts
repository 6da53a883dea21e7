/** Progress of a formula column of which no cell is computed: those of rows with a greater id are pending, and ids are positive. */
export const BEFORE_ALL_ROWS = 0
