export const wrap = () => 2;
