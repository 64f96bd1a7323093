#include "../driver/double.h"
