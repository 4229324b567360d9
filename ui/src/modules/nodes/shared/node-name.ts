/** 3 to 64 letters, digits, spaces, dots, dashes; starts with a letter or digit. */
export const nodeNameRule = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{2,63}$/u;
