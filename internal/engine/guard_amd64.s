//go:build linux

#include "textflag.h"

// ssize_t guardedWrite(int fd, const void *buf, size_t n), as C calls it.
TEXT ·guardedWrite(SB), NOSPLIT|NOFRAME, $0
	SUBQ $8, SP // C wants it aligned
	MOVQ ·libcWrite(SB), AX
	CALL AX
	CMPQ AX, $-1
	JNE  done
	MOVQ ·libcErrno(SB), AX
	CALL AX
	MOVL (AX), CX
	CMPL CX, $28  // ENOSPC
	JEQ  lost
	CMPL CX, $5   // EIO
	JEQ  lost
	CMPL CX, $122 // EDQUOT
	JEQ  lost
	CMPL CX, $27  // EFBIG
	JEQ  lost
	CMPL CX, $30  // EROFS
	JEQ  lost
	MOVQ $-1, AX

done:
	ADDQ $8, SP
	RET

lost:
	// write(2, lastWords), exit_group(74)
	MOVQ ·lastWords+0(SB), SI
	MOVQ ·lastWords+8(SB), DX
	MOVL $2, DI
	MOVL $1, AX
	SYSCALL
	MOVL $74, DI
	MOVL $231, AX
	SYSCALL
	UNDEF

// func guardedWriteAddress() uintptr
TEXT ·guardedWriteAddress(SB), NOSPLIT, $0-8
	LEAQ ·guardedWrite(SB), AX
	MOVQ AX, ret+0(FP)
	RET
